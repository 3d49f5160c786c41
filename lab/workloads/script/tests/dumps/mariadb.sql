/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: shop
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1-log

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Current Database: `shop`
--

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET latin1 COLLATE latin1_swedish_ci */;

USE `shop`;

--
-- Table structure for table `orders`
--

DROP TABLE IF EXISTS `orders`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `orders` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `product` int(11) DEFAULT NULL,
  `state` enum('new','paid; sent') DEFAULT NULL,
  `placed` datetime DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `by_product` (`product`),
  CONSTRAINT `orders_ibfk_1` FOREIGN KEY (`product`) REFERENCES `products` (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=128 DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `orders`
--

LOCK TABLES `orders` WRITE;
/*!40000 ALTER TABLE `orders` DISABLE KEYS */;
INSERT INTO `orders` VALUES
(1,2,'paid; sent','2026-01-01 01:00:00'),
(2,3,'new','2026-01-01 02:00:00'),
(3,4,'paid; sent','2026-01-01 03:00:00'),
(4,5,'new','2026-01-01 04:00:00'),
(5,6,'paid; sent','2026-01-01 05:00:00'),
(6,7,'new','2026-01-01 06:00:00'),
(7,8,'paid; sent','2026-01-01 07:00:00'),
(8,9,'new','2026-01-01 08:00:00'),
(9,10,'paid; sent','2026-01-01 09:00:00'),
(10,11,'new','2026-01-01 10:00:00'),
(11,12,'paid; sent','2026-01-01 11:00:00'),
(12,13,'new','2026-01-01 12:00:00'),
(13,14,'paid; sent','2026-01-01 13:00:00'),
(14,15,'new','2026-01-01 14:00:00'),
(15,16,'paid; sent','2026-01-01 15:00:00'),
(16,17,'new','2026-01-01 16:00:00'),
(17,18,'paid; sent','2026-01-01 17:00:00'),
(18,19,'new','2026-01-01 18:00:00'),
(19,20,'paid; sent','2026-01-01 19:00:00'),
(20,21,'new','2026-01-01 20:00:00'),
(21,22,'paid; sent','2026-01-01 21:00:00'),
(22,23,'new','2026-01-01 22:00:00'),
(23,24,'paid; sent','2026-01-01 23:00:00'),
(24,25,'new','2026-01-02 00:00:00'),
(25,26,'paid; sent','2026-01-02 01:00:00'),
(26,27,'new','2026-01-02 02:00:00'),
(27,28,'paid; sent','2026-01-02 03:00:00'),
(28,29,'new','2026-01-02 04:00:00'),
(29,30,'paid; sent','2026-01-02 05:00:00'),
(30,31,'new','2026-01-02 06:00:00'),
(31,32,'paid; sent','2026-01-02 07:00:00'),
(32,33,'new','2026-01-02 08:00:00'),
(33,34,'paid; sent','2026-01-02 09:00:00'),
(34,35,'new','2026-01-02 10:00:00'),
(35,36,'paid; sent','2026-01-02 11:00:00'),
(36,37,'new','2026-01-02 12:00:00'),
(37,38,'paid; sent','2026-01-02 13:00:00'),
(38,39,'new','2026-01-02 14:00:00'),
(39,40,'paid; sent','2026-01-02 15:00:00'),
(40,1,'new','2026-01-02 16:00:00'),
(41,2,'paid; sent','2026-01-02 17:00:00'),
(42,3,'new','2026-01-02 18:00:00'),
(43,4,'paid; sent','2026-01-02 19:00:00'),
(44,5,'new','2026-01-02 20:00:00'),
(45,6,'paid; sent','2026-01-02 21:00:00'),
(46,7,'new','2026-01-02 22:00:00'),
(47,8,'paid; sent','2026-01-02 23:00:00'),
(48,9,'new','2026-01-03 00:00:00'),
(49,10,'paid; sent','2026-01-03 01:00:00'),
(50,11,'new','2026-01-03 02:00:00'),
(51,12,'paid; sent','2026-01-03 03:00:00'),
(52,13,'new','2026-01-03 04:00:00'),
(53,14,'paid; sent','2026-01-03 05:00:00'),
(54,15,'new','2026-01-03 06:00:00'),
(55,16,'paid; sent','2026-01-03 07:00:00'),
(56,17,'new','2026-01-03 08:00:00'),
(57,18,'paid; sent','2026-01-03 09:00:00'),
(58,19,'new','2026-01-03 10:00:00'),
(59,20,'paid; sent','2026-01-03 11:00:00'),
(60,21,'new','2026-01-03 12:00:00'),
(61,22,'paid; sent','2026-01-03 13:00:00'),
(62,23,'new','2026-01-03 14:00:00'),
(63,24,'paid; sent','2026-01-03 15:00:00'),
(64,25,'new','2026-01-03 16:00:00'),
(65,26,'paid; sent','2026-01-03 17:00:00'),
(66,27,'new','2026-01-03 18:00:00'),
(67,28,'paid; sent','2026-01-03 19:00:00'),
(68,29,'new','2026-01-03 20:00:00'),
(69,30,'paid; sent','2026-01-03 21:00:00'),
(70,31,'new','2026-01-03 22:00:00'),
(71,32,'paid; sent','2026-01-03 23:00:00'),
(72,33,'new','2026-01-04 00:00:00'),
(73,34,'paid; sent','2026-01-04 01:00:00'),
(74,35,'new','2026-01-04 02:00:00'),
(75,36,'paid; sent','2026-01-04 03:00:00'),
(76,37,'new','2026-01-04 04:00:00'),
(77,38,'paid; sent','2026-01-04 05:00:00'),
(78,39,'new','2026-01-04 06:00:00'),
(79,40,'paid; sent','2026-01-04 07:00:00'),
(80,1,'new','2026-01-04 08:00:00'),
(81,2,'paid; sent','2026-01-04 09:00:00'),
(82,3,'new','2026-01-04 10:00:00'),
(83,4,'paid; sent','2026-01-04 11:00:00'),
(84,5,'new','2026-01-04 12:00:00'),
(85,6,'paid; sent','2026-01-04 13:00:00'),
(86,7,'new','2026-01-04 14:00:00'),
(87,8,'paid; sent','2026-01-04 15:00:00'),
(88,9,'new','2026-01-04 16:00:00'),
(89,10,'paid; sent','2026-01-04 17:00:00'),
(90,11,'new','2026-01-04 18:00:00'),
(91,12,'paid; sent','2026-01-04 19:00:00'),
(92,13,'new','2026-01-04 20:00:00'),
(93,14,'paid; sent','2026-01-04 21:00:00'),
(94,15,'new','2026-01-04 22:00:00'),
(95,16,'paid; sent','2026-01-04 23:00:00'),
(96,17,'new','2026-01-05 00:00:00'),
(97,18,'paid; sent','2026-01-05 01:00:00'),
(98,19,'new','2026-01-05 02:00:00'),
(99,20,'paid; sent','2026-01-05 03:00:00'),
(100,21,'new','2026-01-05 04:00:00');
/*!40000 ALTER TABLE `orders` ENABLE KEYS */;
UNLOCK TABLES;
/*!50003 SET @saved_cs_client      = @@character_set_client */ ;
/*!50003 SET @saved_cs_results     = @@character_set_results */ ;
/*!50003 SET @saved_col_connection = @@collation_connection */ ;
/*!50003 SET character_set_client  = utf8mb4 */ ;
/*!50003 SET character_set_results = utf8mb4 */ ;
/*!50003 SET collation_connection  = utf8mb4_general_ci */ ;
/*!50003 SET @saved_sql_mode       = @@sql_mode */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`humdrum`@`localhost`*/ /*!50003 TRIGGER stamp BEFORE INSERT ON orders FOR EACH ROW BEGIN IF NEW.placed IS NULL THEN SET NEW.placed = '2026-01-01'; END IF; END 
*/;;
DELIMITER ;
/*!50003 SET sql_mode              = @saved_sql_mode */ ;
/*!50003 SET character_set_client  = @saved_cs_client */ ;
/*!50003 SET character_set_results = @saved_cs_results */ ;
/*!50003 SET collation_connection  = @saved_col_connection */ ;

--
-- Temporary table structure for view `paid`
--

DROP TABLE IF EXISTS `paid`;
/*!50001 DROP VIEW IF EXISTS `paid`*/;
SET @saved_cs_client     = @@character_set_client;
SET character_set_client = utf8mb4;
/*!50001 CREATE VIEW `paid` AS SELECT
 NULL AS `id` */;
SET character_set_client = @saved_cs_client;

--
-- Table structure for table `products`
--

DROP TABLE IF EXISTS `products`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `products` (
  `id` int(11) NOT NULL,
  `name` varchar(40) NOT NULL,
  `price` decimal(8,2) DEFAULT NULL,
  `note;` text DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `products`
--

LOCK TABLES `products` WRITE;
/*!40000 ALTER TABLE `products` DISABLE KEYS */;
INSERT INTO `products` VALUES
(1,'product 1',1.50,'a	b\\c\nd\'e\";f'),
(2,'product 2',3.00,''),
(3,'product 3',4.50,'é -- # /* x'),
(4,'product 4',6.00,NULL),
(5,'product 5',7.50,'a	b\\c\nd\'e\";f'),
(6,'product 6',9.00,''),
(7,'product 7',10.50,'é -- # /* x'),
(8,'product 8',12.00,NULL),
(9,'product 9',13.50,'a	b\\c\nd\'e\";f'),
(10,'product 10',15.00,''),
(11,'product 11',16.50,'é -- # /* x'),
(12,'product 12',18.00,NULL),
(13,'product 13',19.50,'a	b\\c\nd\'e\";f'),
(14,'product 14',21.00,''),
(15,'product 15',22.50,'é -- # /* x'),
(16,'product 16',24.00,NULL),
(17,'product 17',25.50,'a	b\\c\nd\'e\";f'),
(18,'product 18',27.00,''),
(19,'product 19',28.50,'é -- # /* x'),
(20,'product 20',30.00,NULL),
(21,'product 21',31.50,'a	b\\c\nd\'e\";f'),
(22,'product 22',33.00,''),
(23,'product 23',34.50,'é -- # /* x'),
(24,'product 24',36.00,NULL),
(25,'product 25',37.50,'a	b\\c\nd\'e\";f'),
(26,'product 26',39.00,''),
(27,'product 27',40.50,'é -- # /* x'),
(28,'product 28',42.00,NULL),
(29,'product 29',43.50,'a	b\\c\nd\'e\";f'),
(30,'product 30',45.00,''),
(31,'product 31',46.50,'é -- # /* x'),
(32,'product 32',48.00,NULL),
(33,'product 33',49.50,'a	b\\c\nd\'e\";f'),
(34,'product 34',51.00,''),
(35,'product 35',52.50,'é -- # /* x'),
(36,'product 36',54.00,NULL),
(37,'product 37',55.50,'a	b\\c\nd\'e\";f'),
(38,'product 38',57.00,''),
(39,'product 39',58.50,'é -- # /* x'),
(40,'product 40',60.00,NULL);
/*!40000 ALTER TABLE `products` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Current Database: `shop`
--

USE `shop`;

--
-- Final view structure for view `paid`
--

/*!50001 DROP VIEW IF EXISTS `paid`*/;
/*!50001 SET @saved_cs_client          = @@character_set_client */;
/*!50001 SET @saved_cs_results         = @@character_set_results */;
/*!50001 SET @saved_col_connection     = @@collation_connection */;
/*!50001 SET character_set_client      = utf8mb4 */;
/*!50001 SET character_set_results     = utf8mb4 */;
/*!50001 SET collation_connection      = utf8mb4_general_ci */;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`humdrum`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `paid` AS select `orders`.`id` AS `id` from `orders` where `orders`.`state` = 'paid; sent' */;
/*!50001 SET character_set_client      = @saved_cs_client */;
/*!50001 SET character_set_results     = @saved_cs_results */;
/*!50001 SET collation_connection      = @saved_col_connection */;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-25 15:39:29
